//===- Machine.h - memory, barriers and turns of a simulated block --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_SIMULATOR_MACHINE_H
#define FA_LIB_SIMULATOR_MACHINE_H

#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "fa/Simulator/Simulator.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

namespace fa::simulator {

/// A row-major tile of numbers.
struct Tile {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> data;

  explicit Tile(llvm::ArrayRef<int64_t> shape, double fill = 0);
};

/// A tile in shared memory.
struct SharedTile {
  std::vector<double> data;
  /// Loads issued and arrived. Unequal: the tile is being written.
  int64_t issued = 0, arrived = 0;
  /// The ring and round that the last load belongs to.
  mlir::Operation *ring = nullptr;
  int64_t round = -1;
  /// Written by ordinary stores that who reads it by wgmma must fence.
  bool unfenced = false;
  /// Stores go through it whose copies may not have read it yet.
  int64_t readers = 0;
};

/// A slot of a ring: two mbarriers, as counters. A barrier that has completed
/// n phases lets pass whoever waits for the parity of phase n - 1.
struct Slot {
  int64_t fullPhases = 0, emptyPhases = 0;
  /// Of the phases in progress.
  int64_t commits = 0, bytesMissing = 0, releases = 0;
  /// Commits that fill it.
  int64_t fills = 1;
  /// The number that travels with the slot.
  int64_t mailbox = 0;
};

/// Completes the phase if everything has arrived.
void finishFull(Slot &slot);

struct Ring {
  std::vector<Slot> slots;
  int64_t consumers = 0;
  /// The producer has said that there are no more tiles.
  bool finished = false;
};

/// A warpgroup of a consumer, or the thread of a producer, in one block.
struct Agent {
  fagpu::RoleOp role;
  int64_t block = 0, warpgroup = 0;
  /// The warpgroup's number among all of the block.
  int64_t inBlock = 0;
  /// The tile that it works on, if it was drawn, or -1.
  int64_t ticket = -1;
  /// Slots that it waited for and has not released: ring and count.
  std::vector<std::pair<mlir::Operation *, int64_t>> held;
  /// It has fenced since it last waited for a slot.
  bool hasFenced = false;
  /// Tiles that it has written and not committed.
  std::vector<SharedTile *> written;
  /// Tiles that it has stored through, if it does not know that they are read.
  std::vector<SharedTile *> stored;
  /// Where it waits, and for what; null while it can run.
  mlir::Operation *waitsAt = nullptr;
  std::function<bool()> canGo;
  bool done = false;
  std::thread thread;
};

/// A copy that has been issued and not yet arrived.
struct Copy {
  std::function<void()> arrive;
};

/// One block's shared memory.
struct Block {
  int64_t number = 0;
  /// Its number in the order in which blocks came, or -1.
  int64_t ticket = -1;
  /// The other one of a pair.
  Block *other = nullptr;
  /// What it has drawn, if it has a ticket.
  int64_t part = 0, drawn = 0;
  llvm::DenseMap<mlir::Operation *, std::vector<SharedTile>> tiles;
  llvm::DenseMap<mlir::Operation *, std::vector<SharedTile>> rows;
  llvm::DenseMap<mlir::Operation *, Ring> rings;
  /// Of a role, how often each warpgroup has passed its turn on, and taken it.
  llvm::DenseMap<mlir::Operation *, std::vector<int64_t>> passed, taken;
};

/// Hands the turn from agent to agent in an order drawn from the seed; copies
/// arrive in between. Only one agent runs at a time.
class Turns {
public:
  explicit Turns(uint64_t seed) : random(seed) {}

  Agent &add(Agent agent);
  void addCopy(Copy copy) { copies.push_back(std::move(copy)); }

  /// Starts `body` for every agent and runs until all are done, or failed.
  /// False if an error was reported.
  bool run(llvm::function_ref<void(Agent &)> body);

  /// Called by an agent: let others go first. `canGo`: not before this holds.
  /// False if the simulation has failed meanwhile; then the agent must return.
  bool yield(Agent &agent, mlir::Operation *at, std::function<bool()> canGo);

  void fail() { failed = true; }
  bool hasFailed() const { return failed; }

private:
  void reportDeadlock();
  void giveTurn(Agent *agent);

  std::mutex mutex;
  std::condition_variable changed;
  Agent *turn = nullptr;
  std::vector<std::unique_ptr<Agent>> agents;
  std::vector<Copy> copies;
  std::mt19937_64 random;
  bool failed = false;
};

} // namespace fa::simulator

#endif // FA_LIB_SIMULATOR_MACHINE_H
