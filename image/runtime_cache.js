/**
 * Runs while the image is built. Writes Deno's code cache of Node's modules: without it each start compiles some 150
 * files again.
 *
 * `runtime_modules.js` has filled the cache of another folder (`DENO_DIR`), a database whose rows are in any order and
 * also about modules of the build. This script copies the rows about Node's modules into a new database, in order, so
 * that two builds give the same image.
 *
 * The database names Deno's version, and each entry V8's flags; Deno ignores entries that do not fit. The image may not
 * write, so opening the database must write nothing: it contains its statistics and the two empty files of a
 * write-ahead log.
 *
 *     deno run … runtime_cache.js FOLDER-OF-THE-PROCESS FOLDER-OF-THE-IMAGE
 */
import { DatabaseSync } from "node:sqlite";

const [written, folder] = Deno.args;
// The file name that Deno looks for.
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

/** Copies a table with the rows for which a condition holds, in an order. */
function copy(table, condition, order) {
  made.exec(read.prepare("SELECT sql FROM sqlite_master WHERE name = ?").get(table).sql);
  const rows = read.prepare(`SELECT * FROM ${table} WHERE ${condition} ORDER BY ${order}`);
  rows.setReadBigInts(true);
  for (const row of rows.all()) {
    const values = Object.values(row);
    made.prepare(`INSERT INTO ${table} VALUES (${values.map(() => "?")})`).run(...values);
  }
}
