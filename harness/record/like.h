// A type and its const: what visits of a record's members take.
#pragma once
#include <concepts>
#include <type_traits>

namespace benchbench {

template <class T, class Named>
concept Like = std::same_as<std::remove_const_t<T>, Named>;

}  // namespace benchbench
