"""Names of rows, so that an export needs no table; answers that were computed, so that they are not computed again."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "activefs_row_names",
        sa.Column("row", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text(), nullable=False),
    )
    op.create_table(
        "activefs_kept_answers",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer(), nullable=False, unique=True),
        sa.Column("content", sa.Text(), nullable=False),
    )


def downgrade() -> None:
    """Remove them."""
    for table in ("activefs_kept_answers", "activefs_row_names"):
        op.drop_table(table)
