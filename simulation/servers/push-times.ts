/** RAIL_PUSH_TIMEOUT, and how much longer a push's answer is awaited. */
export const pushTimeoutMs = 10_000;
export const lateMs = 60_000;
