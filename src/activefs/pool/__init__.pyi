from ._pairs import count_pairs as count_pairs
from ._pool import BinningOption as BinningOption
from ._pool import BinsOption as BinsOption
from ._pool import Pool as Pool
from ._pool import column_values as column_values
