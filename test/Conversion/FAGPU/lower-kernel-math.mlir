// RUN: %fa-opt %s --pass-pipeline='builtin.module(gpu.module(fa-lower-kernel-math))' -split-input-file -verify-diagnostics | FileCheck %s

gpu.module @k {
  // CHECK-LABEL: gpu.func @instructions
  // CHECK: llvm.inline_asm {{.*}}"ex2.approx.ftz.f32 $0, $1;"
  // CHECK: llvm.inline_asm {{.*}}"lg2.approx.f32 $0, $1;"
  // CHECK: llvm.inline_asm {{.*}}"abs.f32 $0, $1;"
  // CHECK: llvm.inline_asm {{.*}}"cvt.rmi.f32.f32 $0, $1;"
  // CHECK: llvm.inline_asm {{.*}}"sqrt.rn.f32 $0, $1;"
  // The sign comes first.
  // CHECK: llvm.inline_asm {{.*}}"copysign.f32 $0, $1, $2;", "=f,f,f" %arg2, %arg1
  // CHECK: llvm.intr.maximum
  gpu.func @instructions(%out: memref<7xf32>, %x: f32, %y: f32) kernel {
    %0 = math.exp2 %x : f32
    %1 = math.log2 %x : f32
    %2 = math.absf %x : f32
    %3 = math.floor %x : f32
    %4 = math.sqrt %x : f32
    %5 = math.copysign %x, %y : f32
    %6 = arith.maximumf %x, %y : f32
    %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6 : vector<7xf32>
    %c0 = arith.constant 0 : index
    vector.store %all, %out[%c0] : memref<7xf32>, vector<7xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @affine
  // CHECK-NOT: affine.
  // CHECK: arith.muli
  // CHECK: gpu.return
  gpu.func @affine(%out: memref<?xf32>, %x: f32, %i: index) kernel {
    %0 = affine.apply affine_map<(i) -> (i * 3 + 1)>(%i)
    memref.store %x, %out[%0] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @formulas
  // CHECK-NOT: math.
  // CHECK: gpu.return
  gpu.func @formulas(%out: memref<6xf32>, %x: f32, %y: f32) kernel {
    %0 = math.sin %x : f32
    %1 = math.erf %x : f32
    %2 = math.powf %x, %y : f32
    %3 = math.tanh %x : f32
    %4 = math.log1p %x : f32
    %5 = math.atan2 %x, %y : f32
    %all = vector.from_elements %0, %1, %2, %3, %4, %5 : vector<6xf32>
    %c0 = arith.constant 0 : index
    vector.store %all, %out[%c0] : memref<6xf32>, vector<6xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @wide(%out: memref<f64>, %x: f64) kernel {
    // expected-error @+1 {{machine stage: GPU kernels cannot compute math.sin on 'f64'}}
    %0 = math.sin %x : f64
    memref.store %0, %out[] : memref<f64>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @remainder(%out: memref<f32>, %x: f32) kernel {
    // expected-error @+1 {{machine stage: GPU kernels cannot compute arith.remf on 'f32'}}
    %0 = arith.remf %x, %x : f32
    memref.store %0, %out[] : memref<f32>
    gpu.return
  }
}
