const isSource = import.meta.url.endsWith('.ts');

/** The addresses of modules that are loaded into the process of the app before the app. */
export const hookUrls: { readonly printLinks: string; readonly sendDocument: string } = {
  printLinks: new URL(isSource ? './print-links.ts' : './print-links.js', import.meta.url).href,
  sendDocument: new URL(isSource ? './send-document.ts' : './send-document.js', import.meta.url).href,
};
