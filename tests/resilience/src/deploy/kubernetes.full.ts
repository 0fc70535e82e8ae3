import { expect, it } from 'vitest';
import { type Manifest, readManifest } from './manifests.ts';
import { typeErrors } from './type-errors.ts';

const files = ['kubernetes/app.yml', 'kubernetes/migrate.yml', 'kubernetes/secret.example.yml'];
const manifests = files.flatMap((file) => readManifest(file));

it('has no field that Kubernetes does not know', async () => {
  const [service] = manifests.filter(({ kind }) => kind === 'Service');
  const misspelt = { ...service, spec: { selectors: {} } } as Manifest;
  expect(await typeErrors([misspelt])).toEqual([expect.stringContaining(`'"selectors"' does not exist`)]);
  expect(await typeErrors(manifests)).toEqual([]);
});
