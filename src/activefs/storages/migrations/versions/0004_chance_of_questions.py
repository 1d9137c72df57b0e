"""With which probability the row of a question was drawn: guarantees rest on it. Older questions have none."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("activefs_events", sa.Column("chance", sa.Text()))


def downgrade() -> None:
    """Remove it."""
    with op.batch_alter_table("activefs_events") as table:
        table.drop_column("chance")
