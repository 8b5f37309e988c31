-- Whether the rail's own addresses brought the id for the stream. Such a claim is given over to nobody (RAIL-7).
alter table records.confirmed_checkouts add column brought boolean not null default false;
