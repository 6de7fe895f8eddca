// A client of Boost.Compute: numbers sorted, scanned and reduced, compared with the standard library's.
#include <algorithm>
#include <boost/compute/algorithm/accumulate.hpp>
#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/system.hpp>
#include <cstdio>
#include <numeric>
#include <vector>

namespace compute = boost::compute;

int main() {
  compute::device device = compute::system::devices().at(0);
  compute::context context(device);
  compute::command_queue queue(context, device);
  std::vector<unsigned> here(100000);
  unsigned x = 1;
  for (unsigned& number : here) number = (x = x * 1664525u + 1013904223u) >> 12;

  compute::vector<unsigned> there(here.size(), context);
  compute::copy(here.begin(), here.end(), there.begin(), queue);
  compute::sort(there.begin(), there.end(), queue);
  std::vector<unsigned> back(here.size());
  compute::copy(there.begin(), there.end(), back.begin(), queue);
  std::sort(here.begin(), here.end());
  const bool sorted = back == here;

  compute::inclusive_scan(there.begin(), there.end(), there.begin(), queue);
  compute::copy(there.begin(), there.end(), back.begin(), queue);
  std::partial_sum(here.begin(), here.end(), here.begin());
  const bool scanned = back == here;
  queue.finish();
  std::printf("sorted: %s\nscanned: %s\n", sorted ? "yes" : "NO", scanned ? "yes" : "NO");
  return sorted && scanned ? 0 : 1;
}
