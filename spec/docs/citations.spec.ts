/** Every document that code names is there, and so is every heading. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { BUILT_IN } from '../../src/run/built-in-parts';
import { anchorsOf } from '../support/markdown';

const ROOT = join(__dirname, '../..');
const codeOf = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(c|m)?[jt]s$/.test(name) && !/spec\/language\/|node_modules\//.test(join(folder, name)))
    .map((name) => join(folder, name));
const sources = ['src', 'spec', 'scripts', 'examples', 'bench'].flatMap(codeOf);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const CITATION = /\bdocs\/[\w/.-]*\w\.md(?:#[\p{L}\p{N}_-]+)?/gu;
const citations = new Set(sources.flatMap((path) => [...read(path).matchAll(CITATION)].map(([citation]) => citation)));

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

/** All comments of a text, each on one line. */
function commentsIn(text: string): readonly string[] {
  const positions = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    const around = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ];
    for (const { pos, end } of around) positions.set(pos, end);
    node.getChildren().forEach(visit);
  };
  visit(ts.createSourceFile('any.ts', text, ts.ScriptTarget.Latest, true));
  return Array.from(positions, ([start, end]) => text.slice(start, end).replace(/\n\s*(?:\*|\/\/) ?/g, ' '));
}

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
