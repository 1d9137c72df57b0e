"""Runs migrations on the connection that `activefs.storages._schema` hands over."""

from alembic import context

from activefs.storages._schema import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    render_as_batch=True,  # SQLite cannot change a column in place
)
with context.begin_transaction():
    context.run_migrations()
