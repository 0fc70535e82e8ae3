import { expect, it } from 'vitest';
import { useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();

it('has an API explorer that works without internet access and runs a request', async () => {
  const { page, problems } = await open('/ui');
  await page.locator('.opblock').first().waitFor();

  const operation = page.locator('#operations-Agents-getAgent');
  await operation.locator('.opblock-summary').click();
  await operation.locator('input[placeholder="id"]').fill('assistant');
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table .response-col_status').filter({ hasText: '200' }).first().waitFor();
  expect(await operation.locator('.live-responses-table').textContent()).toContain('getTime');
  expect(problems.join('\n')).toBe('');
});
