from ._base import Catalog as Catalog
from ._base import CatalogEntry as CatalogEntry
from ._base import checked_name as checked_name
from ._open import open_catalog as open_catalog
from ._open import some_catalog as some_catalog
