"""Browsers that are signed in, so that a restart of the server signs nobody out."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "activefs_sign_ins",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("annotator", sa.String(200), nullable=False),
        sa.Column("expires", sa.String(32), nullable=False),
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_table("activefs_sign_ins")
