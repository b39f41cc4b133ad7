import { defineSink } from '../../language/parts/sink';
import { parquetFolder } from './folder';
import type { ParquetOptions } from './folder';
import { filePlace } from '../s3/address';
import { outline } from './outline';

export const parquet = defineSink({
  ...outline,
  create: ({ rest }, { outputs, warn }, options: ParquetOptions) => {
    const { folder, bucket } = filePlace(outline.name, rest, options.journal);
    return parquetFolder(folder, outputs, { ...options, warn, bucket });
  },
});
