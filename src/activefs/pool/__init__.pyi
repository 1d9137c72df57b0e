from ._advice import how_to_keep as how_to_keep
from ._advice import warn_left_out as warn_left_out
from ._pairs import count_pairs as count_pairs
from ._pool import BinningOption as BinningOption
from ._pool import BinsOption as BinsOption
from ._pool import Pool as Pool
from ._pool import column_values as column_values
from ._pool import read_pool as read_pool
