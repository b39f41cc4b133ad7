import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { needsBuild } from '../support/build';
import { openStudio } from '../../src/studio/studio';
import type { StudioOptions } from '../../src/studio/studio';
import { someOf } from '../support/cases';

/** Where Debian puts it; `scripts/browser.sh` installs it. */
const CHROMIUM = process.env['HEADWATER_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
const PAGE = join(__dirname, '..', '..', 'dist', 'studio');

/** Says why specs are skipped, in their name. */
const missing = !existsSync(CHROMIUM)
  ? ' (skipped: there is no Chromium; scripts/browser.sh installs it)'
  : !existsSync(join(PAGE, 'studio.js'))
    ? ' (skipped: npm run build has not made dist/studio)'
    : '';
export const describeInBrowser = (name: string, body: () => void): void =>
  (missing === '' ? describe : describe.skip)(`${name}${missing}`, body);

interface OneBrowser {
  /** Opens a page as {@link openPage} does; it is closed behind the spec. */
  readonly open: (text: string | undefined, options?: Parameters<typeof openPage>[2]) => Promise<OpenPage>;
}

/** One browser for all specs of a description; each spec has a page of its own. */
export function withBrowser(): OneBrowser {
  let browser: Browser;
  let opened: OpenPage | undefined;
  beforeAll(async () => {
    browser = await launch();
  });
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  afterAll(async () => {
    await browser.close();
  });
  return {
    open: async (text, options) => {
      opened = await openPage(browser, text, options);
      return opened;
    },
  };
}

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };
const MIDDLE = { width: 768, height: 1024 };

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The folder of the file. */
  readonly folder: string;
  /** What the page has complained of: errors, and breaches of its policy. */
  readonly complaints: readonly string[];
  readonly path: string;
  readonly close: () => Promise<void>;
}

/** A studio for a file with this text, and a page that shows it. */
export async function openPage(
  browser: Browser,
  text: string | undefined,
  {
    name = 'rivers.json',
    beside = {},
    ...options
  }: BrowserContextOptions &
    Pick<StudioOptions, 'fetch' | 'cluster'> & {
      readonly name?: string;
      /** Texts of other files of the folder, by their names. */
      readonly beside?: Readonly<Record<string, string>>;
    } = {},
): Promise<OpenPage> {
  const { fetch, cluster, ...shown } = options;
  const folder = await mkdtemp(join(tmpdir(), 'headwater-studio-'));
  const path = join(folder, name);
  if (text !== undefined) await writeFile(path, text);
  for (const [other, content] of Object.entries(beside)) await writeFile(join(folder, other), content);
  const studio = await openStudio({
    path,
    page: PAGE,
    queries: needsBuild('cli/query-process.js'),
    ...(fetch === undefined ? {} : { fetch }),
    ...(cluster === undefined ? {} : { cluster }),
  });
  // Whoever takes a picture adds a style sheet.
  const ofPictures = process.env['HEADWATER_PICTURES'] === undefined ? {} : { bypassCSP: true };
  const context = await browser.newContext({ viewport: WIDE, colorScheme: 'light', ...ofPictures, ...shown });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(studio.url);
  await page.getByText(name).first().waitFor();
  return {
    ...{ page, context, complaints, path, folder },
    close: async () => {
      await context.close();
      await studio.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** What axe complains of in a page that was opened with `bypassCSP`, since its own policy lets no script in. */
export async function axeFaults(page: Page, where: string): Promise<readonly string[]> {
  const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(`window.axe ?? (() => { ${axe} })()`);
  const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"], preload: false })');
  const { violations } = found as {
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  };
  return violations.map(
    ({ id, nodes }) => `${where}: ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  );
}

/** Elements that are wider than the window. */
export const overflowOf = (page: Page): Promise<string> =>
  page.evaluate<string>(`document.documentElement.scrollWidth === innerWidth ? '' : [...document.querySelectorAll('*')]
    .filter((each) => each.getBoundingClientRect().right > innerWidth).map((each) => each.outerHTML.slice(0, 80)).join()`);

/** The looks in which each view is judged. */
export const LOOKS = someOf(
  [
    ['light', WIDE],
    ['dark', WIDE],
    ['light', NARROW],
    ['dark', NARROW],
    ['light', MIDDLE],
    ['dark', MIDDLE],
  ] as const,
  process.env['HEADWATER_PICTURES'] === undefined ? 3 : 1,
);
