"""What else is said of an event: notes on answers, how an overlap was drawn, milestones. Older events have nothing."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("activefs_events", sa.Column("details", sa.Text()))


def downgrade() -> None:
    """Remove it."""
    with op.batch_alter_table("activefs_events") as table:
        table.drop_column("details")
