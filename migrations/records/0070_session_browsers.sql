-- The browser of a session and its operating system, so that a person knows their sessions apart (docs/reference/portal.md,
-- POR-4). Both come from a list of known names, never from the header as it was sent.
alter table records.portal_sessions
  add column browser text check (length(browser) <= 40),
  add column browser_system text check (length(browser_system) <= 40);
