"""The paper's data sets, on tiny files in the real formats: no data and no network needed."""

import gzip
import hashlib
import io
import re
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from activefs.datasets import DATA_SETS, Dataset, available, fetch, load
from activefs.datasets._files import Folders
from activefs.datasets._quantise import quantise
from activefs.datasets._readers import read_adult, read_mat, read_mnist, read_musk
from activefs.datasets._registry import ENTRIES, Entry, RawFile
from activefs.datasets._sets import fetch_entry, load_entry
from activefs.exceptions import ActiveFSError, DataSetError, InvalidInputError
from activefs.tables._binning import bin_edges

COUNTS = np.array([[0, 3, 1], [0, 0, 7], [0, 3, 2]], dtype=np.uint8)
NOWHERE = "http://127.0.0.1:9"  # the discard port: nobody listens


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def mat_file(X: np.ndarray = COUNTS, Y: tuple[int, ...] = (1, 2, 2)) -> bytes:
    buffer = io.BytesIO()
    savemat(buffer, {"X": X, "Y": np.array(Y, dtype=np.uint8)[:, None]}, do_compression=True)
    header = b"MATLAB 5.0 MAT-file, made by a test".ljust(116)  # the writer's own header holds the time
    return header + buffer.getvalue()[116:]


def raw_file(name: str, content: bytes, *bases: str) -> RawFile:
    return RawFile((name,), frozenset({sha256(content)}), tuple(f"{base}/{name}" for base in bases or (NOWHERE,)))


def mat_entry(content: bytes, *bases: str, rows: int = 3) -> Entry:
    return Entry("TINY", rows, 3, ("1", "2"), (raw_file("TINY.mat", content, *bases),), read_mat, "made up")


def same(a: Dataset, b: Dataset) -> bool:
    arrays = all(np.array_equal(getattr(a, key), getattr(b, key)) for key in ("X", "y", "columns"))
    return arrays and (a.feature_names, a.classes) == (b.feature_names, b.classes)


class Given(Folders):
    """Folders of which the user has named one."""

    given: Path


@pytest.fixture
def folders(tmp_path: Path) -> Given:
    (tmp_path / "given").mkdir()
    return Given(tmp_path / "given", tmp_path / "cache")


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# --- what comes out ---------------------------------------------------------------------------------


def test_text_set(folders: Given) -> None:
    (folders.given / "TINY.mat").write_bytes(mat_file())
    data = load_entry(mat_entry(mat_file()), folders)
    assert data.X.tolist() == [[1, 0], [0, 2], [1, 1]]
    assert data.X.dtype == data.y.dtype == np.uint8 and data.X.flags.c_contiguous
    assert data.y.tolist() == [0, 1, 1]
    assert data.feature_names == ("word 1", "word 2") and data.columns.tolist() == [1, 2]
    assert repr(data) == "Dataset('TINY', 3 rows, 2 features, classes 1, 2)"


def test_musk_leaves_the_ids_out(folders: Given) -> None:
    text = "molecule_name\tconformation_name\tf1\tf2\ttarget\n0\t684\t46.0\t-108.0\t1\n7\t12\t-3.0\t-108.0\t0\n"
    content = text.encode()
    (folders.given / "m.tsv.gz").write_bytes(gzip.compress(content))
    entry = Entry("M", 2, 2, ("non-musk", "musk"), (raw_file("m.tsv.gz", content),), read_musk, "")
    data = load_entry(entry, folders)
    assert data.X.tolist() == [[1], [0]] and data.y.tolist() == [1, 0]
    assert data.feature_names == ("f1",)


def idx(array: np.ndarray) -> bytes:
    header = struct.pack(f">4B{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
    return header + array.astype(np.uint8).tobytes()


def mnist_entry(folders: Given, digits: tuple[int, ...], rows: int) -> Entry:
    train = np.arange(4 * 6).reshape(4, 2, 3)
    test = 100 + np.arange(2 * 6).reshape(2, 2, 3)
    train[:, 0, 1] = test[:, 0, 1] = 9
    contents = [idx(train), idx(np.array([5, 3, 0, 3])), idx(test), idx(np.array([3, 5]))]
    files = []
    for name, content in zip(("a.gz", "b.gz", "c.gz", "d.gz"), contents, strict=True):
        (folders.given / name).write_bytes(gzip.compress(content))
        files.append(raw_file(name, content))
    classes = tuple(map(str, digits))
    return Entry("DIGITS", rows, 6, classes, tuple(files), partial(read_mnist, digits=digits), "")


def test_mnist_pair(folders: Given) -> None:
    data = load_entry(mnist_entry(folders, (3, 5), rows=5), folders)
    assert data.y.tolist() == [1, 0, 0, 0, 1]  # training rows first, the 0 left out
    assert data.X[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert data.feature_names == ("pixel 0,0", "pixel 0,2", "pixel 1,0", "pixel 1,1", "pixel 1,2")


def test_mnist_more_digits(folders: Given) -> None:
    data = load_entry(mnist_entry(folders, (0, 3, 5), rows=6), folders)
    assert data.y.tolist() == [2, 1, 0, 1, 1, 2] and data.classes == ("0", "3", "5")


ADULT = (
    "39, State-gov, 77516, Bachelors, 13, Divorced, Sales, Husband, White, Male, 2174, 0, 40, Cuba, <=50K",
    "50, ?, 83311, HS-grad, 9, Divorced, Sales, Wife, Black, Male, 0, 0, 40, Peru, >50K",
    "38, Private, 215646, HS-grad, 9, Divorced, ?, Wife, White, Female, 0, 5, 16, ?, >50K",
)
ADULT_HEADER = (
    "age, workclass, fnlwgt, education, education-num, marital-status, occupation, relationship, race, sex, "
    "capital-gain, capital-loss, hours-per-week, native-country, classification\n"
)


def adult_entry(folders: Given, train: str, test: str) -> Entry:
    files = []
    for name, text in (("adult.data", train), ("adult.test", test)):
        (folders.given / name).write_bytes(text.encode())
        files.append(raw_file(name, text.encode()))
    return Entry("ADULT", 3, 14, ("<=50K", ">50K"), tuple(files), read_adult, "")


def test_adult_in_both_forms(folders: Given) -> None:
    lines = [line + "\n" for line in ADULT]
    with_header = adult_entry(folders, ADULT_HEADER + lines[0] + lines[1], ADULT_HEADER + lines[2])
    data = load_entry(with_header, folders)
    assert data.y.tolist() == [0, 1, 1]
    code = dict(zip(data.feature_names, data.X.T.tolist(), strict=True))
    assert code["workclass"] == [2, 0, 1]  # '?' sorts first: a value of its own
    assert code["native-country"] == [1, 2, 0] and code["age"] == [1, 2, 0]
    of_uci = "|1x3 Cross validator\n" + lines[2].replace("K\n", "K.\n") + "\n"
    assert same(load_entry(adult_entry(folders, lines[0] + lines[1] + "\n", of_uci), folders), data)


def test_many_values_are_binned_by_kmeans():
    column = np.random.default_rng(0).poisson(30, 500)
    distinct, counts = np.unique(column, return_counts=True)
    edges = bin_edges(distinct.astype(float), counts, bins=10, binning="kmeans")
    table = np.column_stack([column, column, np.full(500, 3), column % 10])
    codes, kept = quantise(table, categorical=frozenset({1}))
    assert kept.tolist() == [0, 1, 3]
    assert codes[:, 0].tolist() == np.searchsorted(edges, column, side="right").tolist()
    assert codes[:, 0].max() == 9 and set(codes[:, 0]) == set(range(10))
    assert codes[:, 1].tolist() == np.searchsorted(distinct, column).tolist()  # categories: not binned
    assert codes[:, 2].tolist() == (column % 10).tolist()  # ten values: as they are


def test_codes_are_dense_when_bins_fall_together():
    column = np.array([0] * 90 + list(range(1000, 1011)))
    codes, _ = quantise(column[:, None])
    assert sorted(set(codes[:, 0])) == list(range(codes.max() + 1)) and codes.max() > 0
    assert (np.diff(codes[:, 0].astype(int)) >= 0).all()


def test_too_many_categories_are_not_wrapped_around():
    with pytest.raises(ValueError, match="300 categories"):
        quantise(np.arange(300)[:, None], categorical=frozenset({0}))


def test_dataset_checks_itself():
    with pytest.raises(InvalidInputError, match=r"shape \(3, 3\).* 2 labels, 3 feature names"):
        Dataset("T", COUNTS, np.zeros(2, np.uint8), ("a", "b", "c"), ("0", "1"), np.arange(3), "")


# --- the registry -----------------------------------------------------------------------------------


def test_sizes_are_the_papers():
    sizes = {name: (entry.rows, entry.features) for name, entry in ENTRIES.items()}
    assert sizes == {
        "BASEHOCK": (1993, 4862),
        "PCMAC": (1943, 3289),
        "RELATHE": (1427, 4322),
        "MUSK": (6598, 166),
        "MNIST01": (14780, 784),
        "MNIST35": (13454, 784),
        "MNIST46": (13700, 784),
        "MNIST": (70000, 784),
        "ADULT": (48842, 14),
    }
    assert tuple(sizes) == DATA_SETS


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=lambda entry: entry.name)
def test_a_download_lands_under_a_name_that_is_looked_for(entry: Entry) -> None:
    for file in entry.files:
        assert file.urls and all(url.rsplit("/", 1)[-1] in file.names for url in file.urls)
        assert all(url.startswith("https://") for url in file.urls)
        assert file.sha256 and all(re.fullmatch("[0-9a-f]{64}", value) for value in file.sha256)


@pytest.mark.parametrize("function", [load, fetch])
@pytest.mark.parametrize("name", ["IRIS", "", None, 3])
def test_unknown_name(function, name):
    with pytest.raises(InvalidInputError, match=r"BASEHOCK, PCMAC, .*ADULT"):
        function(name)


def test_environment_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ACTIVEFS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert not any(info.present for info in available())
    (tmp_path / "musk-clean2.tsv.gz").write_bytes(b"no musk")
    (tmp_path / "adult.data").touch()  # only one of two files
    assert [info.name for info in available() if info.present] == ["MUSK"]
    for function in (load, fetch):
        with pytest.raises(DataSetError, match=re.escape(str(tmp_path / "musk-clean2.tsv.gz"))):
            function("Musk")  # upper or lower case


# --- files that are not right -----------------------------------------------------------------------


@pytest.mark.parametrize("function", [load_entry, fetch_entry])
@pytest.mark.parametrize("broken", ["truncated", "other", "empty"])
def test_damaged_file(folders: Given, function: Callable[[Entry, Given], object], broken: str) -> None:
    content = mat_file()
    packed = gzip.compress(content)
    bad = {"truncated": packed[:-20], "other": gzip.compress(content + b"x"), "empty": b""}[broken]
    path = folders.given / "TINY.mat"
    path.write_bytes(bad)
    with pytest.raises(DataSetError, match="damaged") as caught:
        function(mat_entry(content), folders)
    assert str(path) in str(caught.value) and f"{NOWHERE}/TINY.mat" in str(caught.value)
    assert "Delete it" in str(caught.value) and isinstance(caught.value, ActiveFSError)
    assert not folders.cache.exists()


def test_a_file_that_breaks_later_is_noticed_although_the_result_is_cached(folders: Given) -> None:
    path = folders.given / "TINY.mat"
    path.write_bytes(mat_file())
    load_entry(mat_entry(mat_file()), folders)
    path.write_bytes(mat_file()[:-1])
    with pytest.raises(DataSetError, match="damaged"):
        load_entry(mat_entry(mat_file()), folders)


def test_gzip_packing_does_not_matter(folders: Given) -> None:
    content = mat_file()
    datasets = []
    for packed in (content, gzip.compress(content, 1, mtime=1), gzip.compress(content, 9, mtime=2)):
        (folders.given / "TINY.mat").write_bytes(packed)
        datasets.append(load_entry(mat_entry(content), folders))
    assert same(datasets[0], datasets[1]) and same(datasets[0], datasets[2])


def test_wrong_size(folders: Given) -> None:
    (folders.given / "TINY.mat").write_bytes(mat_file())
    with pytest.raises(DataSetError, match=r"TINY are not as expected: 3 x 3 instead of 4 x 3 .*TINY\.mat"):
        load_entry(mat_entry(mat_file(), rows=4), folders)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (mat_file(Y=(1, 2, 3)), "Y is not one of 1 and 2"),
        (mat_file(X=COUNTS + 0.5), "not a table of counts"),
        (b"MATLAB?", "truncated"),
    ],
)
def test_mat_file_of_another_kind(folders: Given, content: bytes, message: str) -> None:
    (folders.given / "TINY.mat").write_bytes(content)
    with pytest.raises(DataSetError, match=message):
        load_entry(mat_entry(content), folders)


@pytest.mark.parametrize("content", [b"", idx(np.zeros((2, 2, 2)))[:-1], idx(np.zeros(8))])
def test_idx_file_of_another_kind(content: bytes) -> None:
    labels = idx(np.zeros(2))
    with pytest.raises(ValueError, match="IDX"):
        read_mnist([content, labels, content, labels], digits=(0, 1))


def test_adult_row_of_another_kind():
    with pytest.raises(ValueError, match="line 2 has 3 cells, not 15"):
        read_adult([f"{ADULT[0]}\n1, 2, 3\n".encode()])
    with pytest.raises(ValueError, match="unknown income '50K'"):
        read_adult([ADULT[0].replace("<=", "").encode()])


def test_unreadable_file_is_named(folders: Given) -> None:
    # A folder under the file's name is not the file; the download is tried, and cannot be.
    (folders.given / "TINY.mat").mkdir()
    with pytest.raises(DataSetError, match="not on this machine"):
        load_entry(mat_entry(mat_file()), folders)


# --- the cache of results ---------------------------------------------------------------------------


def cached(folders: Given) -> Path:
    (path,) = folders.cache.rglob("*.npz")
    return path


def test_result_is_kept_and_read_back(folders: Given) -> None:
    (folders.given / "TINY.mat").write_bytes(mat_file())
    first = load_entry(mat_entry(mat_file()), folders)
    written = cached(folders).stat()
    assert same(load_entry(mat_entry(mat_file()), folders), first)
    assert cached(folders).stat().st_mtime_ns == written.st_mtime_ns
    assert files_below(folders.given) == ["TINY.mat"]  # the user's folder is left as it is


def test_another_version_of_the_files_has_another_result(folders: Given) -> None:
    for X in (COUNTS, COUNTS[::-1].copy()):
        (folders.given / "TINY.mat").write_bytes(mat_file(X))
        data = load_entry(mat_entry(mat_file(X)), folders)
        assert data.X.tolist() == quantise(X)[0].tolist()
    assert len(files_below(folders.cache)) == 2


def no_pickle() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, X=np.array([object()]), y=np.zeros(3), feature_names=np.zeros(2), columns=np.zeros(2))
    return buffer.getvalue()


def wrong_shapes() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, X=np.zeros((3, 2)), y=np.zeros(2), feature_names=np.zeros(2), columns=np.zeros(2))
    return buffer.getvalue()


@pytest.mark.parametrize("damage", ["half", "flip", "empty", "text", "pickle", "shapes"])
def test_damaged_result_is_made_anew(folders: Given, damage: str) -> None:
    (folders.given / "TINY.mat").write_bytes(mat_file())
    first = load_entry(mat_entry(mat_file()), folders)
    path = cached(folders)
    whole = path.read_bytes()
    flipped = whole[:60] + bytes([whole[60] ^ 255]) + whole[61:]
    path.write_bytes(
        {
            "half": whole[: len(whole) // 2],
            "flip": flipped,
            "empty": b"",
            "text": b"hello",
            "pickle": no_pickle(),
            "shapes": wrong_shapes(),
        }[damage]
    )
    assert same(load_entry(mat_entry(mat_file()), folders), first)
    with np.load(cached(folders)) as stored:
        assert stored["X"].tolist() == first.X.tolist()


def test_unwritable_cache_is_a_warning(folders: Given, tmp_path: Path) -> None:
    (folders.given / "TINY.mat").write_bytes(mat_file())
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.warns(UserWarning, match="could not be kept in .*cache"):
        data = load_entry(mat_entry(mat_file()), folders)
    assert data.X.shape == (3, 2)


def test_full_disk_leaves_nothing_behind(folders: Given) -> None:
    X = np.random.default_rng(0).integers(0, 9, (50, 400), dtype=np.uint8)
    content = mat_file(X, (1, 2) * 25)
    (folders.given / "TINY.mat").write_bytes(content)
    entry = Entry("TINY", 50, 400, ("1", "2"), (raw_file("TINY.mat", content),), read_mat, "")
    resource = pytest.importorskip("resource", reason="Windows does not limit the size of files")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    try:
        with pytest.warns(UserWarning, match="could not be kept"):
            data = load_entry(entry, folders)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert data.X.shape == (50, 400) and files_below(folders.cache) == []


def test_many_at_once(folders: Given) -> None:
    (folders.given / "TINY.mat").write_bytes(mat_file())
    with ThreadPoolExecutor(8) as threads:
        runs = [threads.submit(load_entry, mat_entry(mat_file()), folders) for _ in range(16)]
    assert all(same(run.result(), runs[0].result()) for run in runs)
    assert len(files_below(folders.cache)) == 1
