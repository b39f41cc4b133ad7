/** Puts a string together that stands in several elements `t`, of which those that say how it is read aloud are no part. */
export class StringCollector {
  #text = '';
  #isOpen = false;
  #isAloud = false;

  begin(): void {
    this.#text = '';
  }

  open(name: string): void {
    if (name === 'rPh') this.#isAloud = true;
    else if (name === 't') this.#isOpen = !this.#isAloud;
  }

  close(name: string): void {
    if (name === 'rPh') this.#isAloud = false;
    else if (name === 't') this.#isOpen = false;
  }

  add(text: string): void {
    if (this.#isOpen) this.#text += text;
  }

  end(): string {
    return unescaped(this.#text);
  }
}

/** Excel writes characters that XML cannot hold, and line ends of old, as `_x000D_`. */
export const unescaped = (text: string): string =>
  text.replace(/_x([\dA-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
