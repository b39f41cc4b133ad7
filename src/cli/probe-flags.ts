/** What is shown. Only for items something is requested. */
export type Aspect = 'faults' | 'description' | 'requests' | 'items';

export interface ProbeFlags {
  readonly show: Aspect;
  readonly format?: 'text' | 'json' | 'curl';
  readonly lenient?: boolean;
  readonly strict?: boolean;
  readonly allowUnset?: boolean;
  readonly job?: string;
  readonly pages?: number;
  readonly state?: string;
  readonly replay?: string;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
  readonly config?: string;
  readonly stream?: readonly string[];
}

/** The aspects that an option has an effect on, by its flag; the others are for all. */
const EFFECTS: Readonly<Record<string, readonly Aspect[]>> = {
  allowUnset: ['faults'],
  job: ['items'],
  pages: ['items'],
  replay: ['items'],
  state: ['requests', 'items'],
};

/** Returns whether a flag such as `allowUnset` has an effect on what is shown. */
export const hasEffect = (flag: string, show: Aspect): boolean => EFFECTS[flag]?.includes(show) ?? true;

/** Returns the option of a flag: `--allow-unset`. */
export const optionOf = (flag: string): string => `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
