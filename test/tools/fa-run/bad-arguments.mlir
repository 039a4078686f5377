// What the command line cannot mean is one error with exit code 1, and memory that is not there is, too.
//
// RUN: not %fa-run %s --entry fill --arg -1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: fa-run: error: an array with a negative extent, or larger than any memory, is asked for
// The size in bytes of the result would wrap around to a small number.
// RUN: not %fa-run %s --entry fill --arg 4611686018427387904 2>&1 | FileCheck %s --check-prefix=INEXACT
// INEXACT: fa-run: error: argument 0 of @fill (i64): '4611686018427387904' is no i64
// RUN: not %fa-run %s --entry fill --arg 1125899906842624 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not %fa-run %s --entry fill --arg 100000000000 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: fa-run: error: out of memory: 25600000000064 bytes are needed
//
// RUN: not %fa-run %s --entry fill --arg 1.5 2>&1 | FileCheck %s --check-prefix=FRACTION
// FRACTION: '1.5' is no i64
// RUN: not %fa-run %s --entry same --arg values=3000000000 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: '3000000000' is no i32
// RUN: not %fa-run %s --entry same --arg range=0.2..0.8 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: no i32 can be drawn from '0.2..0.8'
// RUN: not %fa-run %s --entry same --arg @/dev/zero 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: cannot read '/dev/zero': it is a device
// RUN: not %fa-run %s --entry large --arg shape=100000x100000x1000 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: this is more than the machine's memory
// RUN: not %fa-run %s --entry same --repeat 0 2>&1 | FileCheck %s --check-prefix=REPEAT
// RUN: not %fa-run %s --entry same --target simulator --multiprocessors 0 2>&1 | FileCheck %s --check-prefix=BLOCKS
// REPEAT: --repeat needs 1 or more
// BLOCKS: --multiprocessors needs 1 or more
//
// A file that cannot be written whole is not written; what is no file is written as it is.
// RUN: not %fa-run %s --entry same --save /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: cannot write '/dev/full': No space left on device
// RUN: test -c /dev/full
// RUN: not %fa-run %s --entry same --save %t.missing/x.npy 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: cannot write

func.func @fill(%n: index) -> tensor<?x64xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %0 = linalg.fill ins(%one : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
func.func @same(%a: tensor<4xi32>) -> tensor<4xi32> {
  return %a : tensor<4xi32>
}
func.func @large(%a: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  return %a : tensor<?x?x?xf32>
}
