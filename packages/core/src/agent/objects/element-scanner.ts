/**
 * Finds the elements of the list in a text such as `{"elements":[…]}` while it is written. Each
 * character is read once, however many elements there are.
 *
 * The elements may not be JSON: the text is only taken apart.
 */
export class ElementScanner {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The newest string of the outermost object: the name of the field, when its value begins. */
  #name = '';
  #isInList = false;
  /** The element that is being written, without the current piece. */
  #element = '';

  /** Takes the next piece of the text. @returns the texts of the elements that are complete now. */
  add(piece: string): readonly string[] {
    const elements: string[] = [];
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const character = piece.charAt(at);
      const wasInList = this.#isInList;
      const isEnd = this.#read(character);
      if (!wasInList) start = at + 1;
      if (!isEnd) continue;
      const element = this.#element + piece.slice(start, at);
      if (element.trim() !== '') elements.push(element);
      this.#element = '';
      start = at + 1;
    }
    if (this.#isInList) this.#element += piece.slice(start);
    return elements;
  }

  /** @returns whether the character ends an element. */
  #read(character: string): boolean {
    if (this.#isInString) {
      this.#readInString(character);
      return false;
    }
    switch (character) {
      case '"':
        // Text around the object is not JSON.
        this.#isInString = this.#depth > 0;
        if (this.#depth === 1) this.#name = '';
        return false;
      case '{':
      case '[':
        this.#depth += 1;
        this.#isInList ||= character === '[' && this.#depth === 2 && this.#name === 'elements';
        return false;
      case '}':
      case ']':
        this.#depth -= 1;
        if (!this.#isInList || this.#depth > 1) return false;
        this.#isInList = false;
        return true;
      default:
        return character === ',' && this.#isInList && this.#depth === 2;
    }
  }

  #readInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
    else if (this.#depth === 1) this.#name += character;
  }
}
