/**
 * Writes Deno's cache of what V8 makes of Node's modules, when the image is built: without it each start compiles them again,
 * some 150 files. A process that may write its cache (`DENO_DIR`) has left them in a database, in any order and with modules
 * of the build. Here they go into a new one, in order, so that an image comes out the same twice.
 *
 * Deno's version is in the database, and V8's settings in each entry: Deno ignores what does not fit. The image may not write,
 * so the database must need no writing when it is opened: it has its statistics, and the two empty files of a write-ahead log.
 *
 *     deno run … runtime_cache.js FOLDER-OF-THE-PROCESS FOLDER-OF-THE-IMAGE
 */
import { DatabaseSync } from "node:sqlite";

const [written, folder] = Deno.args;
// Deno's name for it.
const name = "v8_code_cache_v2";
const read = new DatabaseSync(`${written}/${name}`, { readOnly: true });
Deno.mkdirSync(folder, { recursive: true });
const path = `${folder}/${name}`;
const made = new DatabaseSync(path);
copy("info", "1", "key");
copy("codecache", "specifier NOT LIKE 'file:%'", "specifier, type");
made.exec("ANALYZE; PRAGMA journal_mode = WAL");
made.close();
for (const log of ["wal", "shm"]) Deno.writeFileSync(`${path}-${log}`, new Uint8Array());

/** Makes a table as it was read, with the rows of which a condition holds, in order. */
function copy(table, condition, order) {
  made.exec(read.prepare("SELECT sql FROM sqlite_master WHERE name = ?").get(table).sql);
  const rows = read.prepare(`SELECT * FROM ${table} WHERE ${condition} ORDER BY ${order}`);
  rows.setReadBigInts(true);
  for (const row of rows.all()) {
    const values = Object.values(row);
    made.prepare(`INSERT INTO ${table} VALUES (${values.map(() => "?")})`).run(...values);
  }
}
