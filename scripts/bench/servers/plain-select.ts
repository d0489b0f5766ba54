/** Bare HTTP: selects all columns of the readings and sends each row with JSON.stringify, at the pace of the client. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'libsql';

const database = new Database(String(process.env['DATABASE_URL']).replace('sqlite:', ''));
const select = database.prepare('select * from readings where position > ? order by account_id, position');
const server = createServer(async (request, response) => {
  const cursor = new URL(request.url ?? '', 'http://localhost').searchParams.get('cursor') ?? 0;
  for (const row of select.iterate(Number(cursor)))
    if (!response.write(`${JSON.stringify(row)}\n`)) await once(response, 'drain');
  response.end();
});
server.listen(0, '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit());
