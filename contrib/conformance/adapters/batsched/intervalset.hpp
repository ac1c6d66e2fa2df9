// A set of machines with the members of the library intervalset that batsched calls, where that
// library cannot be had. Written for the adapter of batsched from the calls alone.
#pragma once

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

class IntervalSet
{
public:
    struct ClosedInterval
    {
        int first, last;
        ClosedInterval(int first, int last) : first(first), last(last) {}
        int lower() const { return first; }
        int upper() const { return last; }
    };
    using Intervals = std::vector<ClosedInterval>;

    IntervalSet() = default;
    IntervalSet(int machine) : machines{machine} {}
    IntervalSet(const ClosedInterval & range)
    {
        for (int machine = range.first; machine <= range.last; ++machine) machines.insert(machine);
    }
    static IntervalSet empty_interval_set() { return IntervalSet(); }
    static IntervalSet from_string_hyphen(const std::string & text, const std::string & = " ", const std::string & = "-")
    {
        IntervalSet all;
        std::istringstream words(text);
        for (std::string word; words >> word;)
        {
            size_t hyphen = word.find('-');
            int first = std::stoi(word), last = hyphen == std::string::npos ? first : std::stoi(word.substr(hyphen + 1));
            all.insert(ClosedInterval(first, last));
        }
        return all;
    }

    void clear() { machines.clear(); }
    void insert(const IntervalSet & other) { machines.insert(other.machines.begin(), other.machines.end()); }
    void remove(const IntervalSet & other) { for (int machine : other.machines) machines.erase(machine); }
    unsigned int size() const { return machines.size(); }
    bool contains(int machine) const { return machines.count(machine) > 0; }
    int first_element() const { return *machines.begin(); }
    IntervalSet left(unsigned int count) const
    {
        if (count > machines.size()) throw std::invalid_argument("too few machines");
        IntervalSet some;
        some.machines.insert(machines.begin(), std::next(machines.begin(), count));
        return some;
    }
    IntervalSet random_pick(unsigned int count) const { return left(count); }

    using element_iterator = std::set<int>::const_iterator;
    element_iterator elements_begin() const { return machines.begin(); }
    element_iterator elements_end() const { return machines.end(); }
    using const_iterator = Intervals::const_iterator;
    const_iterator intervals_begin() const { return ranges().begin(); }
    const_iterator intervals_end() const { return ranges().end(); }
    const_iterator biggest_interval() const
    {
        auto shorter = [](const ClosedInterval & a, const ClosedInterval & b) { return a.last - a.first < b.last - b.first; };
        return std::max_element(ranges().begin(), ranges().end(), shorter);
    }

    IntervalSet & operator+=(const IntervalSet & other) { insert(other); return *this; }
    IntervalSet & operator-=(const IntervalSet & other) { remove(other); return *this; }
    IntervalSet & operator&=(const IntervalSet & other) { return *this = *this & other; }
    IntervalSet operator+(const IntervalSet & other) const { return IntervalSet(*this) += other; }
    IntervalSet operator-(const IntervalSet & other) const { return IntervalSet(*this) -= other; }
    IntervalSet operator&(const IntervalSet & other) const
    {
        IntervalSet both;
        for (int machine : machines) if (other.contains(machine)) both.machines.insert(machine);
        return both;
    }
    bool operator==(const IntervalSet & other) const { return machines == other.machines; }
    bool operator!=(const IntervalSet & other) const { return machines != other.machines; }

    std::string to_string_hyphen(const std::string & sep = " ", const std::string & joiner = "-") const
    {
        std::string text;
        for (const ClosedInterval & range : ranges())
        {
            text += (text.empty() ? "" : sep) + std::to_string(range.first);
            if (range.last > range.first) text += joiner + std::to_string(range.last);
        }
        return text;
    }
    std::string to_string_brackets(const std::string & = "") const { return to_string_hyphen(); }
    std::string to_string_elements(const std::string & sep = ",") const
    {
        std::string text;
        for (int machine : machines) text += (text.empty() ? "" : sep) + std::to_string(machine);
        return text;
    }

private:
    const Intervals & ranges() const
    {
        found.clear();
        for (int machine : machines)
        {
            if (found.empty() || found.back().last + 1 < machine) found.emplace_back(machine, machine);
            else found.back().last = machine;
        }
        return found;
    }
    std::set<int> machines;
    mutable Intervals found; // of the last call
};
