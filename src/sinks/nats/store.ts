/** Texts by their keys in JetStream, in a stream beside that of the messages: what machines share that make a run together. */
import { randomUUID } from 'node:crypto';
import type { StoredMsg } from '@nats-io/jetstream';
import { FatalError } from '../../core/errors/errors';
import { shortDigest } from '../files/checksum';
import { journalDamage } from '../journal/records';
import type { ObjectStore } from '../journal/object-journal';
import { tokenOf } from './messages';
import type { StreamMessage } from './messages';
import type { NatsAddress } from './address';
import { findOrMake, headersOf, reasonOf } from './stream';
import type { OpenStream } from './stream';

/** The most bytes of one message: a server sends them with a third more, and takes 1 MiB where nothing else was set. */
const PIECE = 512 * 1024;
const HEADER_BYTES = 4096;
/** The headers of a message: which call of `put` has stored it, and the number of its pieces, if its text is in these. */
const PUT = 'Headwater-Put';
const PIECES = 'Headwater-Pieces';

/**
 * Opens the store of the messages below a prefix, and makes its stream if it does not exist. An object is the last message of its subject; a
 * large one is in pieces, which are there before it. Its methods throw FatalError SINK_FAILED where the server is away for long, or refuses.
 *
 * @throws FatalError DESTINATION_ADDRESS where the stream cannot be made
 * @example const store = await openStore(address, await openStream(address, 60_000));
 */
export async function openStore(address: NatsAddress, { client, config }: OpenStream): Promise<ObjectStore> {
  const { name, stream: beside, prefix } = address;
  const { connection, jetStream, transport, whileConnected, patiently } = client;
  const digest = shortDigest(`${beside} ${prefix}`);
  const stream = `headwater-${digest}`;
  const root = `headwater-store.${digest}`;
  const js = jetStream.jetstream(connection, { timeout: TIMEOUT_MILLISECONDS });
  const { streams } = await js.jetstreamManager(false);
  const piece = Math.min(PIECE, (connection.info?.max_payload ?? PIECE) - HEADER_BYTES);

  const asking = <T>(task: () => Promise<T>): Promise<T> =>
    patiently(() => whileConnected(task)).catch((cause: unknown) => {
      const what = `The stream ${stream}, which has the pages for ${name} until the commit, failed: ${reasonOf(cause)}.`;
      throw new FatalError('SINK_FAILED', what, { cause });
    });
  const tokensOf = (key: string): string => key.split('/').map(tokenOf).join('.');
  const subjectOf = (key: string): string => `${root}.objects.${tokensOf(key)}`;
  const piecesOf = (key: string): string => `${root}.pieces.${tokensOf(key)}`;
  const last = (subject: string): Promise<StoredMsg | undefined> =>
    asking(async () => (await streams.getMessage(stream, { last_by_subj: subject })) ?? undefined);
  const purge = async (...subjects: readonly string[]): Promise<void> => {
    for (const filter of subjects) await asking(() => streams.purge(stream, { filter }));
  };
  const publish = (
    subject: string,
    body: Uint8Array,
    headers: StreamMessage['headers'] = [],
    after?: number,
  ): Promise<boolean> => {
    // Otherwise another stream with these subjects could take the message.
    const options = { headers: headersOf([['Nats-Expected-Stream', stream], ...headers], transport) };
    const expect = after === undefined ? {} : { expect: { lastSubjectSequence: after } };
    return asking(() =>
      js.publish(subject, body, { ...options, ...expect }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof jetStream.JetStreamApiError && CONFLICTS.includes(error.code)) return false;
          throw error;
        },
      ),
    );
  };
  const pieced = async (key: string, id: string, count: number): Promise<Uint8Array> => {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < count; at += 1) {
      const found = await last(`${piecesOf(key)}.${id}.${at}`);
      if (found === undefined) throw journalDamage(JSON.stringify(key), 'a piece of it is missing');
      pieces.push(found.data);
    }
    return Buffer.concat(pieces);
  };

  const { num_replicas, storage } = config;
  const description = `What Headwater keeps of runs of a cluster into ${beside}, subjects ${prefix}.>`;
  const wanted = { name: stream, description, subjects: [`${root}.>`], num_replicas, storage, max_msgs_per_subject: 1 };
  await findOrMake(streams, jetStream, wanted).catch((cause: unknown): never => {
    throw new FatalError(
      'DESTINATION_ADDRESS',
      `The stream ${stream}, in which workers keep the pages for ${name}, cannot be used: ${reasonOf(cause)}. The user needs the right to make and ` +
        `use it, with the subjects ${root}.>, which no other stream may have.`,
      { cause },
    );
  });
  return {
    text: async (key) => {
      const found = await last(subjectOf(key));
      if (found === undefined) return undefined;
      const count = Number(found.header.get(PIECES));
      const bytes = count === 0 ? found.data : await pieced(key, found.header.get(PUT), count);
      return { text: Buffer.from(bytes).toString(), version: String(found.seq) };
    },
    put: async (key, text, condition) => {
      const id = randomUUID();
      const bytes = Buffer.from(text);
      const replaced = typeof condition === 'object' ? await last(subjectOf(key)) : undefined;
      const count = bytes.length > piece ? Math.ceil(bytes.length / piece) : 0;
      for (let at = 0; at < count; at += 1)
        await publish(`${piecesOf(key)}.${id}.${at}`, bytes.subarray(at * piece, (at + 1) * piece));
      const headers = Object.entries({ [PUT]: id, [PIECES]: String(count) });
      const after = condition === 'absent' ? 0 : condition && Number(condition.version);
      const isStored = await publish(subjectOf(key), count === 0 ? bytes : NOTHING, headers, after);
      // An acknowledgement may have been lost, and the message sent again.
      const isOwn = isStored || (await last(subjectOf(key)))?.header.get(PUT) === id;
      const unused = isOwn ? replaced?.header.get(PUT) : id;
      if (unused !== undefined) await purge(`${piecesOf(key)}.${unused}.*`);
      return isOwn;
    },
    list: async (start) => {
      const folder = subjectOf(start.slice(0, -1));
      const { state } = await asking(() => streams.info(stream, { subjects_filter: `${folder}.>` }));
      return Object.keys(state.subjects ?? {}).map((subject) => {
        const tokens = subject.slice(folder.length + 1).split('.');
        return `${start}${tokens.map(decodeURIComponent).join('/')}`;
      });
    },
    remove: (key) => purge(subjectOf(key), `${piecesOf(key)}.>`),
    removeAll: (start) => {
      const folder = start.slice(0, -1);
      return purge(`${subjectOf(folder)}.>`, `${piecesOf(folder)}.>`);
    },
  };
}

/** A list of 100,000 objects takes a server some seconds. */
const TIMEOUT_MILLISECONDS = 30_000;
const NOTHING = new Uint8Array(0);
/** The codes of a server for an object of another version, as versions of it name them. */
const CONFLICTS: readonly number[] = [10071, 10164];
