"""Made-up tables on which a way of choosing rows, or a model, may be caught out. One file each."""

from activefs.experiments.leaderboard.traps._independent import independent
from activefs.experiments.leaderboard.traps._noisy import noisy
from activefs.experiments.leaderboard.traps._rare import rare
from activefs.experiments.leaderboard.traps._small import small
from activefs.experiments.leaderboard.traps._wide import wide
from activefs.experiments.leaderboard.traps._xor import xor

__all__ = ["independent", "noisy", "rare", "small", "wide", "xor"]
