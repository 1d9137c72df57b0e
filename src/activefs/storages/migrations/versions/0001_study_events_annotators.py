"""The study, its log, and the annotators."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "activefs_study",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
    )
    op.create_table(
        "activefs_events",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("row", sa.Integer(), nullable=False),
        sa.Column("annotator", sa.String(200), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("about", sa.Integer()),
        sa.Column("until", sa.String(32)),
        sa.Column("origin", sa.Text()),
    )
    op.create_table(
        "activefs_annotators",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("key", sa.String(32), nullable=False, unique=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
    )


def downgrade() -> None:
    """Remove them."""
    for table in ("activefs_annotators", "activefs_events", "activefs_study"):
        op.drop_table(table)
