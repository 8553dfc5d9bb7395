// Carrier of the precompiled header.
#include "support/pch.hpp"
