from ._coefficients import Agreement as Agreement
from ._coefficients import agreement_of as agreement_of
from ._coefficients import cohen_kappa as cohen_kappa
from ._coefficients import krippendorff_alpha as krippendorff_alpha
from ._dawid_skene import DawidSkene as DawidSkene
from ._dawid_skene import dawid_skene as dawid_skene
