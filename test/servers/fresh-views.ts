import { eventually, type Service } from '#testing';
import { viewSchema } from '#views/view-set';
import pg from 'pg';

/**
 * Waits until the views are known to hold all of the log up to a time ahead of the machine's clock. Before that, they
 * answer no question about that time, so start their readers with a moved clock only afterwards.
 */
export async function untilViewsHold(service: Service, minutesAhead: number): Promise<void> {
  const database = new pg.Client({ connectionString: service.env['DATABASE_URL'] });
  await database.connect();
  const heldUntil = async () => {
    const { rows } = await database.query<{ ahead: number | null }>(
      `select extract(epoch from fresh_at - now())::float8 / 60 as ahead from ${viewSchema()}.checkpoint`,
    );
    return rows[0]?.ahead ?? 0;
  };
  try {
    await eventually(heldUntil, (ahead) => ahead > minutesAhead);
  } finally {
    await database.end();
  }
}
