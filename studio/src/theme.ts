/** Light or dark: as the system is, or as the person has chosen. */
const KEY = 'headwater-theme';

const isDark = (): boolean => {
  const chosen = localStorage.getItem(KEY);
  return chosen === null ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
};

export const applyTheme = (): void => void (document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light');

export function switchTheme(): void {
  localStorage.setItem(KEY, isDark() ? 'light' : 'dark');
  applyTheme();
}
