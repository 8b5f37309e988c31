/**
 * The samples of the clients. `clients/samples` has a folder for each language, with a file for each sample, and the
 * conformance suite runs every file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { clientLanguages } from '../site/languages.js';
import { type Sample } from '../site/page.js';

/** Returns a sample in each language. @param name the operation's id, or the name of another sample */
export function samplesNamed(name: string): readonly Sample[] {
  return clientLanguages.map(({ id, title }) => ({
    title,
    language: id,
    code: shownPart(readFileSync(sampleFile(id, name), 'utf8')),
  }));
}

/**
 * Returns the path of a sample's file. Each language has its own style of file names: create_collection.py,
 * CreateCollection.java.
 * @throws TypeError if the language has no such sample
 */
export function sampleFile(language: string, name: string): string {
  const folder = join(packageDirectory('clients/samples'), language);
  const file = readdirSync(folder).find(
    (each) => plain(each.replace(/\.\w+$/, '')) === plain(name),
  );
  if (file === undefined) throw new TypeError(`${language} has no sample ${name}`);
  return join(folder, file);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Returns the lines from the comment "sample" to the comment "end" or the end of the file, without their indent. */
function shownPart(text: string): string {
  const [, shown = ''] =
    /^[\t ]*(?:\/\/|#) sample\n([\s\S]*?)(?:^[\t ]*(?:\/\/|#) end\n|$(?![\s\S]))/m.exec(text) ?? [];
  const [indent = ''] = /^[\t ]*/.exec(shown) ?? [];
  return shown.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd();
}
