-- The trees over all postings and over all events (docs/adr/0034), in tiles of 256 hashes. They follow from the log
-- alone and only grow; sealing fills them, and fills them again from the beginning where they are gone.
create table records.audit_tiles (
  tree text not null check (tree in ('postings', 'history')),
  -- Of the tree: 0 for leaves, 8 for what stands above 256 of them, and so on.
  level smallint not null,
  tile bigint not null,
  -- 32 bytes each; the last tile of a level may hold fewer.
  hashes bytea not null,
  -- In the log, of the first leaf; null above the leaves.
  first_position bigint,
  primary key (tree, level, tile)
);
-- Hashes cannot be compressed.
alter table records.audit_tiles alter column hashes set storage external;
create index audit_tiles_by_position on records.audit_tiles (tree, first_position) where level = 0;

-- How far the trees go: up to and with this event of the log.
create table records.audit_state (
  singleton boolean primary key default true check (singleton),
  position bigint not null default 0,
  stream text,
  revision bigint,
  event_id uuid,
  postings bigint not null default 0,
  events bigint not null default 0
);
insert into records.audit_state default values;
