//===- Machine.cpp - memory, barriers and turns of a simulated block ------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace fa;
using namespace fa::simulator;

Tile::Tile(ArrayRef<int64_t> shape, double fill) : shape(shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  data.assign(size, fill);
}

Agent &Turns::add(Agent agent) {
  agents.push_back(std::make_unique<Agent>(std::move(agent)));
  return *agents.back();
}

void Turns::giveTurn(Agent *agent) {
  turn = agent;
  changed.notify_all();
}

bool Turns::run(function_ref<void(Agent &)> body) {
  std::unique_lock<std::mutex> lock(mutex);
  for (auto &agent : agents)
    agent->thread = std::thread([this, &agent = *agent, &body] {
      {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return turn == &agent; });
      }
      if (!failed)
        body(agent);
      std::unique_lock<std::mutex> lock(mutex);
      agent.done = true;
      giveTurn(nullptr);
    });
  while (true) {
    // After a failure everybody gets a turn once more, to return.
    SmallVector<Agent *> ready;
    bool allDone = true;
    for (auto &agent : agents) {
      allDone &= agent->done;
      if (!agent->done && (failed || !agent->canGo || agent->canGo()))
        ready.push_back(agent.get());
    }
    if (allDone)
      break;
    if (ready.empty() && copies.empty()) {
      reportDeadlock();
      failed = true;
      continue;
    }
    size_t choice = random() % (ready.size() + copies.size());
    if (choice >= ready.size()) {
      auto copy = copies.begin() + (choice - ready.size());
      copy->arrive();
      copies.erase(copy);
      continue;
    }
    giveTurn(ready[choice]);
    changed.wait(lock, [&] { return turn == nullptr; });
  }
  lock.unlock();
  for (auto &agent : agents)
    agent->thread.join();
  return !failed;
}

bool Turns::yield(Agent &agent, Operation *at, std::function<bool()> canGo) {
  std::unique_lock<std::mutex> lock(mutex);
  agent.waitsAt = at;
  agent.canGo = std::move(canGo);
  giveTurn(nullptr);
  changed.wait(lock, [&] { return turn == &agent; });
  agent.canGo = nullptr;
  return !failed;
}

void Turns::reportDeadlock() {
  std::optional<InFlightDiagnostic> error;
  for (auto &agent : agents) {
    if (agent->done)
      continue;
    if (!error)
      error.emplace(agent->waitsAt->emitError("deadlock: nobody can go on"));
    error->attachNote(agent->waitsAt->getLoc())
        << "block " << agent->block << ", "
        << fagpu::stringifyRoleKind(agent->role.getKind()) << " "
        << agent->warpgroup << " waits here";
  }
}
