/**
 * Makes characters visible that change how the text around them looks: controls, marks that turn
 * the direction of writing, and most that have no width. The joiners of scripts and emoji stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/(?![\n\t\u{200c}\u{200d}])[\p{C}\u{2028}\u{2029}]/gu, (mark) => {
    const code = (mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}
