import * as headwater from 'headwater';
import * as components from 'headwater/components';
import * as operators from 'headwater/operators';
import * as testing from 'headwater/testing';
import * as rxjs from 'rxjs';
import use from './use.cjs';

void use({ headwater, components, operators, testing, rxjs });
