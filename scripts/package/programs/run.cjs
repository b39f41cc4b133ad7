const headwater = require('headwater');
const components = require('headwater/components');
const operators = require('headwater/operators');
const testing = require('headwater/testing');
const rxjs = require('rxjs');
const use = require('./use.cjs');

use({ headwater, components, operators, testing, rxjs });
