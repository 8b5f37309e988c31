import { readFileSync, readdirSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { join } from 'node:path';

/** A recorded request, and the exact bytes of its answer. */
export interface V3Transcript {
  readonly name: string;
  readonly request: Head & { readonly method: string; readonly target: string };
  readonly answer: Head & { readonly status: number };
}

interface Head {
  /** As written; only the relevant ones. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

const between = '\n--- answer\n';
const deadlineMs = 60_000;

/** All transcripts of the folder, in the order of their names. */
export function readTranscripts(folder: string): V3Transcript[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.http'))
    .sort()
    .map((file) => {
      const [asked = '', told = ''] = readFileSync(join(folder, file), 'utf8').split(between);
      const [requestLine, request] = headOf(asked);
      const [statusLine, answer] = headOf(told.replace(/\n$/, ''));
      const [method = '', target = ''] = requestLine.split(' ');
      return {
        name: file.replace('.http', ''),
        request: { method, target, ...request },
        answer: { status: Number(statusLine), ...answer },
      };
    });
}

function headOf(text: string): [first: string, head: Head] {
  const [lines = '', body = ''] = text.split(/\n\n([^]*)/);
  const [first = '', ...fields] = lines.split('\n');
  const headers = fields
    .map((line) => line.split(/: (.*)/))
    .map(([name = '', value = '']) => [name, value] as const);
  return [first, { headers, body }];
}

/** Sends the request as recorded and reads the answer in the form of the record. */
export async function replay(
  baseUrl: string,
  { request, answer }: V3Transcript,
): Promise<V3Transcript['answer']> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const { method, target: path, headers, body } = request;
    const { hostname, port } = new URL(baseUrl);
    const signal = AbortSignal.timeout(deadlineMs);
    const length = body === '' ? {} : { 'Content-Length': Buffer.byteLength(body) };
    httpRequest(
      {
        hostname,
        port,
        method,
        path,
        headers: { ...Object.fromEntries(headers), ...length },
        signal,
      },
      resolve,
    )
      .on('error', reject)
      .end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    headers: answer.headers.map(
      ([name]) => [name, String(response.headers[name.toLowerCase()])] as const,
    ),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
