"""Opening a place with several studies."""

from pathlib import Path

from activefs.catalog import Catalog, open_catalog


def catalog_of(url: str | Path) -> Catalog:
    """Open a folder or a database that must not be taken for one study."""
    catalog = open_catalog(str(url))
    assert catalog is not None, f"{url} was taken for one study"
    return catalog
