-- Runs once, when the container makes its data folder. The owner's role changes the schema: it migrates, and builds and
-- drops sets of views. The service's role only reads and writes rows, so a stolen DATABASE_URL of the API or the worker
-- reaches no table's definition. Neither is a superuser.
\getenv password PESAPOST_PASSWORD
\getenv owner_password PESAPOST_OWNER_PASSWORD
create role pesapost login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create role pesapost_owner login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'owner_password';
create database pesapost owner pesapost_owner;
revoke all on database pesapost from public;
-- Reconciliation compares a statement in temporary tables.
grant connect, temporary on database pesapost to pesapost;
\connect pesapost
alter default privileges for role pesapost_owner grant usage on schemas to pesapost;
alter default privileges for role pesapost_owner grant select, insert, update, delete on tables to pesapost;
alter default privileges for role pesapost_owner grant usage on sequences to pesapost;
