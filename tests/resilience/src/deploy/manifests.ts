import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@halyard/test-docs/documents';
import { type Document, parseAllDocuments, parseDocument } from 'yaml';

const folder = join(root, 'examples/deploy');

/** An object of Kubernetes. */
export interface Manifest {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string };
}

/**
 * The objects of a manifest, read as Kubernetes reads it: 0440 is octal. @throws for mistakes and
 * warnings
 */
export function readManifest(path: string): readonly Manifest[] {
  const documents = parseAllDocuments(readFileSync(join(folder, path), 'utf8'), { version: '1.1' });
  if (!Array.isArray(documents)) throw new Error(`${path} is empty`);
  return documents.map((document) => toValue(document) as Manifest);
}

/** A YAML file of examples/deploy, with merge keys. @throws for mistakes and warnings */
export function readYaml(path: string): unknown {
  return toValue(parseDocument(readFileSync(join(folder, path), 'utf8'), { merge: true }));
}

function toValue(document: Pick<Document, 'errors' | 'toJS' | 'warnings'>): unknown {
  const [mistake] = [...document.errors, ...document.warnings];
  if (mistake !== undefined) throw mistake;
  return document.toJS();
}
