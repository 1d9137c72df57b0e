from ._independent import independent as independent
from ._noisy import noisy as noisy
from ._rare import rare as rare
from ._small import small as small
from ._wide import wide as wide
from ._xor import xor as xor
