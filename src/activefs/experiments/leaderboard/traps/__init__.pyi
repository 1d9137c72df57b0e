from ._independent import INDEPENDENT as INDEPENDENT
from ._noisy import NOISY as NOISY
from ._rare import RARE as RARE
from ._small import SMALL as SMALL
from ._wide import WIDE as WIDE
from ._xor import XOR as XOR
