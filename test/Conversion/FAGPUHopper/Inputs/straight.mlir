// The machine program that preset nc3 starts from: nothing overlaps yet, O is rescaled for every tile.
//
// %scale is softmax scale * log2(e), > 0. Tile t is query rows [192*q, ...) of (batch, head) bh, t = q + query_tiles * bh.

#rc = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#i = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>

!score = tensor<64x80xf32, #fagpu.acc>
!prob = tensor<64x80xbf16, #fagpu.a_op>
!out = tensor<64x128xf32, #fagpu.acc>
!row = tensor<64xf32, #fagpu.rows>
!sums = tensor<64x4xf32, #fagpu.rows_partial>
!c3 = !fagpu.cursor<3>
!c1 = !fagpu.cursor<1>
!k = !fagpu.swizzled<3x80x128xbf16>
!q = !fagpu.swizzled<3x64x128xbf16>
!kmap = !fagpu.tensor_map<80x128xbf16>
!qmap = !fagpu.tensor_map<64x128xbf16>

module attributes {gpu.container_module} {
gpu.module @kernels {
fagpu.kernel @attn(%qmap: !qmap, %kmap: !kmap, %vmap: !kmap, %omap: !qmap, %lse: !llvm.ptr<1>, %scale: f32,
                   %length: i32, %query_tiles: i32, %key_tiles: i32, %total: i32, %counter: !llvm.ptr<1>) {
  %qs = fagpu.smem : !q
  %ks = fagpu.smem : !k
  %vs = fagpu.smem : !k
  %os = fagpu.smem : !q
  %qring = fagpu.ring {mailbox} : !fagpu.ring<1>
  %kring = fagpu.ring : !fagpu.ring<3>
  %vring = fagpu.ring : !fagpu.ring<3>

  fagpu.role producer warpgroups(1) registers(32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c64 = arith.constant 64 : i32
    %c80 = arith.constant 80 : i32
    %c128 = arith.constant 128 : i32
    %c192 = arith.constant 192 : i32
    %first = fagpu.cursor : !c3
    %r = fagpu.for_each_tile dynamic total(%total) via(%qring : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !c3) -> !c3 {
    ^bb0(%tile: i32, %qc: !c1, %c: !c3):
      %bh = arith.divui %tile, %query_tiles : i32
      %before = arith.muli %bh, %query_tiles : i32
      %qi = arith.subi %tile, %before : i32
      %row0 = arith.muli %qi, %c192 : i32
      %row1 = arith.addi %row0, %c64 : i32
      %row2 = arith.addi %row0, %c128 : i32
      fagpu.commit %qring[%qc] bytes 49152 : !fagpu.ring<1>, !c1
      fagpu.tma_load %qmap[%row0, %bh] to %qs[%c0] on %qring[%qc] : !qmap, !q, i32, !fagpu.ring<1>, !c1
      fagpu.tma_load %qmap[%row1, %bh] to %qs[%c1] on %qring[%qc] : !qmap, !q, i32, !fagpu.ring<1>, !c1
      fagpu.tma_load %qmap[%row2, %bh] to %qs[%c2] on %qring[%qc] : !qmap, !q, i32, !fagpu.ring<1>, !c1
      // Keys run from the last tile to the first; K of a tile comes before V of the one before it.
      %last = arith.subi %key_tiles, %c1 : i32
      %n0 = arith.muli %last, %c80 : i32
      fagpu.acquire %kring[%c] : !fagpu.ring<3>, !c3
      fagpu.commit %kring[%c] bytes 20480 : !fagpu.ring<3>, !c3
      fagpu.tma_load %kmap[%n0, %bh] to %ks[%c] on %kring[%c] : !kmap, !k, !c3, !fagpu.ring<3>, !c3
      %end = scf.for %i = %c1 to %key_tiles step %c1 iter_args(%cv = %c) -> (!c3) : i32 {
        %ck = fagpu.advance %cv : !c3
        %t = arith.subi %last, %i : i32
        %n = arith.muli %t, %c80 : i32
        fagpu.acquire %kring[%ck] : !fagpu.ring<3>, !c3
        fagpu.commit %kring[%ck] bytes 20480 : !fagpu.ring<3>, !c3
        fagpu.tma_load %kmap[%n, %bh] to %ks[%ck] on %kring[%ck] : !kmap, !k, !c3, !fagpu.ring<3>, !c3
        %nv = arith.addi %n, %c80 : i32
        fagpu.acquire %vring[%cv] : !fagpu.ring<3>, !c3
        fagpu.commit %vring[%cv] bytes 20480 : !fagpu.ring<3>, !c3
        fagpu.tma_load %vmap[%nv, %bh] to %vs[%cv] on %vring[%cv] : !kmap, !k, !c3, !fagpu.ring<3>, !c3
        scf.yield %ck : !c3
      }
      fagpu.acquire %vring[%end] : !fagpu.ring<3>, !c3
      fagpu.commit %vring[%end] bytes 20480 : !fagpu.ring<3>, !c3
      fagpu.tma_load %vmap[%c0, %bh] to %vs[%end] on %vring[%end] : !kmap, !k, !c3, !fagpu.ring<3>, !c3
      %next = fagpu.advance %end : !c3
      fagpu.yield %next : !c3
    }
  }

  fagpu.role consumer warpgroups(3) registers(160) {
  ^bb0(%wg: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c80 = arith.constant 80 : i32
    %c192 = arith.constant 192 : i32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %minus_inf = arith.constant 0xFF800000 : f32
    %ln2 = arith.constant 0.6931471805599453 : f32
    %minus_scale = arith.negf %scale : f32
    %no_max = arith.constant dense<0xFF800000> : !row
    %no_sum = arith.constant dense<0.0> : !row
    %no_sums = arith.constant dense<0.0> : !sums
    %no_out = arith.constant dense<0.0> : !out
    %score = tensor.empty() : !score
    %row = tensor.empty() : !row
    %sums = tensor.empty() : !sums
    %first = fagpu.cursor : !c3
    %r = fagpu.for_each_tile dynamic total(%total) via(%qring : !fagpu.ring<1>) counter(%counter : !llvm.ptr<1>)
        iter_args(%first : !c3) -> !c3 {
    ^bb0(%tile: i32, %qc: !c1, %c: !c3):
      %bh = arith.divui %tile, %query_tiles : i32
      %before = arith.muli %bh, %query_tiles : i32
      %qi = arith.subi %tile, %before : i32
      %row0 = arith.muli %qi, %c192 : i32
      %wg_row = arith.muli %wg, %c64 : i32
      %m = arith.addi %row0, %wg_row : i32

      %last = arith.subi %key_tiles, %c1 : i32
      %n0 = arith.muli %last, %c80 : i32
      %valid = arith.subi %length, %n0 : i32
      %main:4 = scf.for %i = %c0 to %key_tiles step %c1
          iter_args(%ck = %c, %max = %no_max, %sum = %no_sums, %o = %no_out) -> (!c3, !row, !sums, !out) : i32 {
        fagpu.wait_full %kring[%ck] : !fagpu.ring<3>, !c3
        %sp = fagpu.wgmma %qs[%wg : i32], %ks[%ck : !c3] : !q, !k -> !fagpu.pending<64x80xf32>
        %sd = fagpu.wgmma_wait 0 done(%sp : !fagpu.pending<64x80xf32>) -> (!score)
        fagpu.release %kring[%ck] : !fagpu.ring<3>, !c3
        // The first tile has the last keys, of which some are past the end.
        %is_last = arith.cmpi eq, %i, %c0 : i32
        %s = scf.if %is_last -> !score {
          %masked = linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
              ins(%sd : !score) outs(%score : !score) {
          ^bb0(%x: f32, %o0: f32):
            %j = linalg.index 1 : index
            %j32 = arith.index_cast %j : index to i32
            %keep = arith.cmpi slt, %j32, %valid : i32
            %y = arith.select %keep, %x, %minus_inf : f32
            linalg.yield %y : f32
          } -> !score
          scf.yield %masked : !score
        } else {
          scf.yield %sd : !score
        }
        %new_max = linalg.reduce {arith.maxnumf} ins(%s : !score) outs(%max : !row) dimensions = [1]
        %alpha = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
            ins(%max, %new_max : !row, !row) outs(%row : !row) {
        ^bb0(%old: f32, %new: f32, %o0: f32):
          %d = arith.subf %old, %new : f32
          %ds = arith.mulf %d, %scale : f32
          %e = math.exp2 %ds : f32
          linalg.yield %e : f32
        } -> !row
        %shift = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
            ins(%new_max : !row) outs(%row : !row) {
        ^bb0(%x: f32, %o0: f32):
          %y = arith.mulf %x, %minus_scale : f32
          linalg.yield %y : f32
        } -> !row
        %e = linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
            ins(%s, %shift : !score, !row) outs(%score : !score) {
        ^bb0(%x: f32, %b: f32, %o0: f32):
          %y = math.fma %x, %scale, %b : f32
          %z = math.exp2 %y : f32
          linalg.yield %z : f32
        } -> !score
        %tile_sum = fagpu.partial_sums %e : !score -> !sums
        %new_sum = linalg.generic {indexing_maps = [#rc, #r, #rc, #rc], iterator_types = ["parallel", "parallel"]}
            ins(%sum, %alpha, %tile_sum : !sums, !row, !sums) outs(%sums : !sums) {
        ^bb0(%l: f32, %a: f32, %t: f32, %o0: f32):
          %y = math.fma %l, %a, %t : f32
          linalg.yield %y : f32
        } -> !sums
        %p = fagpu.pack %e : !score -> !prob
        %os0 = fagpu.scale_rows %o by %alpha : !out, !row
        fagpu.wait_full %vring[%ck] : !fagpu.ring<3>, !c3
        %op = fagpu.wgmma %p, %vs[%ck : !c3] acc(%os0 : !out) {b_rows_are_k} : !prob, !k -> !fagpu.pending<64x128xf32>
        %on = fagpu.wgmma_wait 0 done(%op : !fagpu.pending<64x128xf32>) -> (!out)
        fagpu.release %vring[%ck] : !fagpu.ring<3>, !c3
        %next = fagpu.advance %ck : !c3
        scf.yield %next, %new_max, %new_sum, %on : !c3, !row, !sums, !out
      }
      fagpu.release %qring[%qc] : !fagpu.ring<1>, !c1

      %total_sum = linalg.reduce {arith.addf} ins(%main#2 : !sums) outs(%no_sum : !row) dimensions = [1]
      %inv, %lse_rows = linalg.generic {indexing_maps = [#i, #i, #i, #i], iterator_types = ["parallel"]}
          ins(%main#1, %total_sum : !row, !row) outs(%row, %row : !row, !row) {
      ^bb0(%mx: f32, %l: f32, %o0: f32, %o1: f32):
        %y = arith.divf %one, %l fastmath<afn> : f32
        %lg = math.log2 %l : f32
        %z = math.fma %mx, %scale, %lg : f32
        %ln = arith.mulf %z, %ln2 : f32
        linalg.yield %y, %ln : f32, f32
      } -> (!row, !row)
      %normal = fagpu.scale_rows %main#3 by %inv : !out, !row
      fagpu.tma_store %normal by %os[%wg] to %omap[%m, %bh] : !out, !q, !qmap
      %bh64 = arith.extsi %bh : i32 to i64
      %length64 = arith.extsi %length : i32 to i64
      %base = arith.muli %bh64, %length64 : i64
      fagpu.store_rows %lse_rows to %lse[%base, %m] limit(%length) : !row, !llvm.ptr<1>
      fagpu.yield %main#0 : !c3
    }
  }
}
}
}
