/**
 * The script of the landing page. It takes the console key out of the address, where others would
 * see it and the history would keep it, and adds it to the links that need it.
 */
export const landingScript = `
const page = new URL(location.href);
const key = page.searchParams.get('key');
if (key !== null) {
  page.searchParams.delete('key');
  history.replaceState(history.state, '', page);
  for (const link of document.querySelectorAll('a[data-key]')) {
    const url = new URL(link.href);
    url.searchParams.set('key', key);
    link.href = url.href;
  }
}
`;
