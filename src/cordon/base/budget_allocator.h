#pragma once

// An allocator that takes its memory from a budget and gives it back, for the vectors that a
// decoder keeps beside the value that it builds. While a vector grows, both its old and its new
// room count, as they do on the heap. Throws OverBudget.
//
//   std::vector<Open, BudgetAllocator<Open>> open_{budget};

#include <cstddef>
#include <memory>
#include <vector>

#include "cordon/base/budget.h"

namespace cordon {

template <class T>
class BudgetAllocator {
 public:
  using value_type = T;

  // With null there is no limit. The budget must outlive what was allocated.
  BudgetAllocator(Budget* budget = nullptr) noexcept : budget_(budget) {}
  template <class U>
  BudgetAllocator(const BudgetAllocator<U>& other) noexcept : budget_(other.budget()) {}

  T* allocate(std::size_t count) {
    if (budget_ == nullptr) return std::allocator<T>().allocate(count);
    const std::size_t bytes = count * sizeof(T);
    if (!budget_->take(bytes)) throw OverBudget();
    try {
      return std::allocator<T>().allocate(count);
    } catch (...) {
      budget_->give_back(bytes);
      throw;
    }
  }
  void deallocate(T* room, std::size_t count) noexcept {
    std::allocator<T>().deallocate(room, count);
    if (budget_ != nullptr) budget_->give_back(count * sizeof(T));
  }

  Budget* budget() const noexcept { return budget_; }
  friend bool operator==(const BudgetAllocator&, const BudgetAllocator&) = default;

 private:
  Budget* budget_;
};

template <class T>
using BudgetVector = std::vector<T, BudgetAllocator<T>>;

}  // namespace cordon
