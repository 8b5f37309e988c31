-- When the last question was answered. Answers that come together repeat each other for nothing (PAY-11).
alter table records.payout_queries add column answered_at timestamptz(3);
