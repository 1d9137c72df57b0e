"""Which data sets there are: their sizes, their files, where those come from, and how to read them.

Checksums are those of a file's *content*, after decompression. A gzip file holds a time stamp and
depends on the compressor, so copies of one data set differ as gzip files although they hold the same
bytes; what we compute with is the content.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from activefs.datasets._readers import RawTable, read_adult, read_mat, read_mnist, read_musk

__all__ = ["ENTRIES", "Entry", "RawFile"]


@dataclass(frozen=True)
class RawFile:
    """One file of a data set.

    `names` are the names under which it may lie in a folder; `sha256` the checksums of its content that
    are accepted, decompressed; `urls` the places to get it from, tried in this order, the last part of
    each being one of `names`.
    """

    names: tuple[str, ...]
    sha256: frozenset[str]
    urls: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """One data set; `rows` and `features` are checked on load, before constant columns are dropped."""

    name: str
    rows: int
    features: int
    classes: tuple[str, ...]
    files: tuple[RawFile, ...]
    read: Callable[[Sequence[bytes]], RawTable]
    source: str


_SKFEATURE = "https://raw.githubusercontent.com/jundongl/scikit-feature/master/skfeature/data"
# Not raw.githubusercontent.com: that gives the pointer only for files that a repository keeps in git LFS.
_PMLB = "https://github.com/EpistasisLab/pmlb/raw"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult"
_MNIST = (
    "https://ossci-datasets.s3.amazonaws.com/mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist",
)


def _text(name: str, rows: int, features: int, sha256: str) -> Entry:
    file = RawFile((f"{name}.mat",), frozenset({sha256}), (f"{_SKFEATURE}/{name}.mat",))
    # Which newsgroup is 1 and which is 2 the file does not say, so the classes keep their numbers.
    source = "20 newsgroups, two groups, word counts; scikit-feature repository (featureselection.asu.edu)"
    return Entry(name, rows, features, ("1", "2"), (file,), read_mat, source)


# The gzip file was packed by PMLB in 2017; whether today's copy there has the same gzip bytes cannot be
# told without a download, so only the content is compared.
_MUSK_FILE = RawFile(
    ("musk-clean2.tsv.gz", "clean2.tsv.gz"),
    frozenset({"08fe6e8a81298d5a59e627705dc27133093add8f60e6c31b8e5a453f4752a89f"}),
    (
        f"{_PMLB}/master/datasets/clean2/clean2.tsv.gz",
        f"{_PMLB}/253138e2aa4098734fb9154ec3570fbcad5f4197/datasets/clean2/clean2.tsv.gz",
    ),
)


def _adult(name: str, with_header: str, of_uci: str) -> RawFile:
    # Two forms go around: UCI's own (no header; the test file has a remark in its first line and a full
    # stop after each label; an empty last line), and one with a header line and neither. The rows are
    # the same: written in UCI's form, the second has UCI's checksum.
    return RawFile((f"{name}.gz", name), frozenset({with_header, of_uci}), (f"{_UCI}/{name}",))


_ADULT_FILES = (
    _adult(
        "adult.data",
        "bfa781e36598918535d49f2c199ced8e4fa0f78abda99337b00a37df479c166a",
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
    _adult(
        "adult.test",
        "7200d2ccc5660b8e61c7f138fca2682a6450f822478dd5f0cdeb707cb055f481",
        "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
    ),
)

_MNIST_FILES = tuple(
    RawFile((f"{name}.gz", name), frozenset({sha256}), tuple(f"{mirror}/{name}.gz" for mirror in _MNIST))
    for name, sha256 in (
        ("train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
        ("train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
        ("t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
        ("t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
    )
)


def _mnist(name: str, rows: int, digits: tuple[int, ...]) -> Entry:
    classes = tuple(str(digit) for digit in digits)
    source = "MNIST handwritten digits, training and test rows (LeCun, Cortes and Burges)"
    return Entry(name, rows, 784, classes, _MNIST_FILES, partial(read_mnist, digits=digits), source)


_ALL = (
    _text("BASEHOCK", 1993, 4862, "e0452e0f3c0fefdc5cb6352165e4ba4a25c3a2a7b5a5b4d44e103742d6317aa0"),
    _text("PCMAC", 1943, 3289, "9999dfccf97ab88f87127dd3457da436acb75cda9f0af4750e7cae5fe1a31b25"),
    _text("RELATHE", 1427, 4322, "1091fe26c721aa69ddc5ce3ebcef54e03565809cae07e1769cef45ad23ab28d0"),
    # The paper's table says 167 features: its file carried one of the two id columns.
    Entry(
        *("MUSK", 6598, 166, ("non-musk", "musk"), (_MUSK_FILE,), read_musk),
        source="UCI, Musk (version 2); Penn Machine Learning Benchmarks, clean2",
    ),
    _mnist("MNIST01", 14_780, (0, 1)),
    _mnist("MNIST35", 13_454, (3, 5)),
    _mnist("MNIST46", 13_700, (4, 6)),
    _mnist("MNIST", 70_000, tuple(range(10))),
    Entry(
        *("ADULT", 48_842, 14, ("<=50K", ">50K"), _ADULT_FILES, read_adult),
        source="UCI, Adult (census income), training and test rows",
    ),
)

ENTRIES = {entry.name: entry for entry in _ALL}
