-- Runs once, when the container makes its data folder. The service's role owns its database and has no other right:
-- it is no superuser, so a stolen DATABASE_URL reaches nothing beyond the service's own tables.
\getenv password PESAPOST_PASSWORD
create role pesapost login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database pesapost owner pesapost;
revoke all on database pesapost from public;
