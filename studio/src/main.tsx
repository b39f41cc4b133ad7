import { render } from 'preact';
import { App } from './app';
import { begin } from './store';
import { applyTheme } from './theme';

applyTheme();
begin();
const root = document.getElementById('studio');
if (root !== null) render(<App />, root);
