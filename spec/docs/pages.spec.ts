/** Every relative link and every anchor of the documents leads somewhere. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Schema } from '../../src/language/codec/schema';
import { BUILT_IN } from '../../src/run/built-in-parts';
import * as sinks from '../../src/sinks/registry';
import { ROOT } from '../support/build';
import { configurationSchema } from '../support/language';
import { anchorsOf, linksOf } from '../support/markdown';

describe('links', () => {
  const ROOT = join(__dirname, '../..');
  const documents = [
    'README.md',
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  ];
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

  /** Pages that are made from the definitions of components: as soon as one of a folder is there, all have to be. */
  const GENERATED = /^docs\/language\/((pagination|authentication|formats|sinks)\/|functions\.md$)/;
  const isYetToBeMade = (path: string): boolean => {
    const [, part = ''] = GENERATED.exec(path) ?? [];
    return part !== '' && !existsSync(join(ROOT, 'docs/language', part));
  };

  function faultOf(document: string, link: string): string | undefined {
    const [, target = '', anchor = ''] = /^([^#]*)#?(.*)$/.exec(link) ?? [];
    const path = target === '' ? document : normalize(join(dirname(document), target));
    if (isYetToBeMade(path)) return undefined;
    if (!existsSync(join(ROOT, path))) return `${link}: there is no ${path}`;
    if (anchor === '' || statSync(join(ROOT, path)).isDirectory() || !path.endsWith('.md')) return undefined;
    return anchorsOf(read(path)).includes(anchor) ? undefined : `${link}: ${path} has no such heading`;
  }

  describe('the documents', () => {
    it.each(documents)('%s: every link leads somewhere', (document) => {
      const faults = linksOf(read(document)).map((link) => faultOf(document, link));
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    });

    it('link to each other: none is found by its address alone', () => {
      const targets = documents.flatMap((document) =>
        linksOf(read(document))
          .map((link) => normalize(join(dirname(document), link.replace(/#.*/, ''))))
          .filter((path) => path !== document),
      );
      expect(documents.filter((document) => document !== 'README.md' && !targets.includes(document))).toEqual([]);
    });
  });
});

/** Every document that code names is there, and so is every heading. */

describe('citations', () => {
  const ROOT = join(__dirname, '../..');
  const codeOf = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(c|m)?[jt]s$/.test(name) && !/spec\/language\/|node_modules\//.test(join(folder, name)))
      .map((name) => join(folder, name));
  const sources = ['src', 'spec', 'scripts', 'examples', 'bench'].flatMap(codeOf);
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

  const CITATION = /\bdocs\/[\w/.-]*\w\.md(?:#[\p{L}\p{N}_-]+)?/gu;
  const citations = new Set(
    sources.flatMap((path) => [...read(path).matchAll(CITATION)].map(([citation]) => citation)),
  );

  /** The headings that pages of components may have. */
  const HEADINGS = ['when-to-use-it', 'what-the-answer-looks-like', 'what-travels', 'options', 'rules', 'example'];
  const FOLDERS = { pagination: 'pagination', authentication: 'authentication', formats: 'format' } as const;

  /** The anchors of a page that is made from definitions; `undefined` for any other page. */
  function anchorsOfDefinitions(path: string): readonly string[] | undefined {
    if (path === 'docs/language/functions.md') return [...BUILT_IN.function.keys()];
    const [, folder, name = ''] = /^docs\/language\/(\w+)\/(.+)\.md$/.exec(path) ?? [];
    if (folder !== 'pagination' && folder !== 'authentication' && folder !== 'formats') return undefined;
    return BUILT_IN[FOLDERS[folder]].has(name) || name === 'multiple' ? HEADINGS : undefined;
  }

  function faultOf(citation: string): string | undefined {
    const [path = '', anchor] = citation.split('#');
    const anchors = existsSync(join(ROOT, path)) ? anchorsOf(read(path)) : anchorsOfDefinitions(path);
    if (anchors === undefined) return `${citation}: there is no such page`;
    return anchor === undefined || anchors.includes(anchor) ? undefined : `${citation}: there is no such heading`;
  }

  /** All comments of a text, each on one line; what follows `//` in a string as well. */
  const commentsIn = (text: string): readonly string[] =>
    Array.from(text.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g), ([comment]) => comment.replace(/\n\s*(?:\*|\/\/) ?/g, ' '));

  const SECTION = /\b(?:language|specification),? (?:section )?\d[\d.]*/gi;
  const sectionsIn = (text: string): readonly string[] => [...text.matchAll(SECTION)].map(([section]) => section);

  describe('citations of documents in code', () => {
    it('there are some', () => {
      expect(citations.size).toBeGreaterThan(100);
    });

    it('lead to a page, and to a heading of it', () => {
      expect([...citations].map(faultOf).filter((fault) => fault !== undefined)).toEqual([]);
    });

    it('name pages of the manual, and no sections by their numbers', () => {
      const numbered = codeOf('src').flatMap((path) =>
        commentsIn(read(path))
          .flatMap(sectionsIn)
          .map((section) => `${path}: ${section}`),
      );
      expect(numbered).toEqual([]);
    });

    it('are noticed in comments that break between word and number', () => {
      const text = "/**\n * As in (language\n * 6.6 rule 7).\n */\nconst a = 'language 1'; // Specification 4\n";
      expect(commentsIn(text).flatMap(sectionsIn)).toEqual(['language 6.6', 'Specification 4']);
    });
  });

  describe('the sections that titles of specs name', () => {
    const table = read('docs/specification.md');
    const sections = new Set(
      [...table.matchAll(/^\| (\d[\d.]*) +\| \[[^\]]+\]\(language\/[^)]+\) +\|$/gm)].map(([, section]) => section),
    );
    const named = codeOf('spec').flatMap((path) =>
      [...read(path).matchAll(/\b(?:describe|it)\(\s*['"`]language (\d+(?:\.\d+)*)/g)].map(([, section]) => section),
    );

    it('there are some', () => {
      expect(new Set(named).size).toBeGreaterThan(50);
    });

    it('stand in docs/specification.md, each with a page of the manual', () => {
      expect([...new Set(named)].filter((section) => !sections.has(section))).toEqual([]);
    });
  });
});

/** Each key and each part of the language stands on a page of the manual. */

describe('coverage', () => {
  const pages = readdirSync(join(ROOT, 'docs/language'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(ROOT, 'docs/language', name), 'utf8'))
    .join('\n');
  /** Everything that stands between backticks, and the keys of examples. */
  const named = new Set([
    ...Array.from(pages.matchAll(/`([^`\n]+)`/g), ([, text = '']) => text),
    ...Array.from(pages.matchAll(/"([^"\n]+)":/g), ([, text = '']) => text),
  ]);

  /** The keys of a schema, those of objects inside it included. */
  const keysOf = (schema: Schema): readonly string[] => [
    ...Object.keys(schema.properties ?? {}),
    ...[
      ...Object.values(schema.properties ?? {}),
      ...(schema.anyOf ?? []),
      ...(schema.items === undefined ? [] : [schema.items]),
      ...(schema.additionalProperties === undefined ? [] : [schema.additionalProperties]),
    ].flatMap(keysOf),
  ];
  const keys = [...new Set(Object.values(configurationSchema().$defs).flatMap(keysOf))].sort();

  describe('the manual names', () => {
    it.each(keys)('the key %s', (key) => {
      expect(keys.length).toBeGreaterThan(120);
      expect(named.has(key)).toBe(true);
    });

    it.each([
      ...[...BUILT_IN.function.keys()].map((name) => ['function', name, `## ${name}\n`] as const),
      ...[...BUILT_IN.pagination.keys()].map((name) => ['pagination method', name, `# \`${name}\`\n`] as const),
      ...[...BUILT_IN.authentication.keys()].map((name) => ['authentication', name, `# \`${name}\`\n`] as const),
      ...[...BUILT_IN.format.keys()].map((name) => ['format', name, `# \`${name}\`\n`] as const),
      ...Object.values(sinks).map(({ name }) => ['sink', name, `# \`${name}\`\n`] as const),
    ])('the %s %s, by a heading', (_, __, heading) => {
      expect(pages).toContain(heading);
    });
  });
});

/** docs/security.md names a spec for each defence, and each is there. */

describe('security', () => {
  const ROOT = join(__dirname, '../..');
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const linksIn = (text: string): string[] =>
    [...text.matchAll(/\]\(([^)#]*)(?:#[^)]*)?\)/g)].map(([, target = '']) => target).filter((target) => target !== '');

  const [defended = ''] = read('docs/security.md').split('\n## Not defended');
  const defences = defended.split('\n').filter((line) => line.startsWith('- '));

  describe('docs/security.md', () => {
    it('has defences', () => expect(defences.length).toBeGreaterThan(20));

    it.each(defences)('%s', (row) => {
      const specs = linksIn(row).filter((target) => target.endsWith('.spec.ts'));
      expect(specs).not.toEqual([]);
      expect(specs.filter((target) => !existsSync(join(ROOT, 'docs', target)))).toEqual([]);
    });

    it.each(['docs/security.md', 'SECURITY.md', 'docs/reliability.md'])('%s links only to what exists', (path) => {
      expect(linksIn(read(path)).filter((target) => !existsSync(join(ROOT, dirname(path), target)))).toEqual([]);
    });
  });
});

/** Each of examples/extensions/ belongs to a page of the manual. */

describe('examples/extensions/', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const shown = pages.flatMap((page) =>
    linksOf(readFileSync(join(ROOT, 'docs', page), 'utf8')).map((link) => normalize(join('docs', dirname(page), link))),
  );

  it.each(readdirSync(join(ROOT, 'examples/extensions')))('%s belongs to a page', (name) => {
    expect(shown).toContain(join('examples/extensions', name));
  });
});
