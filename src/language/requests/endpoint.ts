import { fault, valid, type Checked } from '../codec/checked';
import { endpointUrl } from '../../core/url/address';

/** The URL of an endpoint, or a fault that says where it stands (docs/language/requests.md#endpoints). */
export function endpointIn(baseUrl: string, endpoint: string, path: string): Checked<string> {
  try {
    return valid(endpointUrl(baseUrl, endpoint));
  } catch {
    return fault(path, 'expected an endpoint that makes a URL with the base URL');
  }
}
